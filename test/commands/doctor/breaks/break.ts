/** Something is broken by SQL and mended again: by the very statement that the doctor names, unless another is given. */
export interface Break {
  breaks: string;
  says: RegExp;
  mend: RegExp;
  mended?: string;
  /** What belongs to Supabase's own roles is broken and mended by the server's superuser. */
  superuser?: true;
  /** It changes what other checks say, so it is broken alone. */
  alone?: true;
  /** What else is not right because of it. */
  also?: Record<string, "wrong" | "notice" | "unchecked">;
}

/** Breaks by the check that must name them, and by what is wrong. */
export type Breaks = Record<string, Record<string, Break>>;
