import { generate } from "selfsigned";

/** A key and its certificate, as PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const settings = { keyType: "ec", algorithm: "sha256" } as const;

/** A certificate authority that nobody trusts until told to. */
export async function createAuthority(name = "Corredor tests"): Promise<Certificate> {
  const made = await generate([{ name: "commonName", value: name }], {
    ...settings,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** A server's certificate for the names that tests use. */
export async function issueCertificate(
  authority: Certificate,
  names: readonly string[] = ["localhost", "target.example"],
  addresses: readonly string[] = ["127.0.0.1", "::1"],
): Promise<Certificate> {
  const made = await generate([{ name: "commonName", value: names[0] ?? "localhost" }], {
    ...settings,
    ca: authority,
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
