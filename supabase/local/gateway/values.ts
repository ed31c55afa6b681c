import pg from "pg";

/** Readers of the types that a program chose, by their oid. */
type Readers = Record<number, ((text: string) => unknown) | undefined>;

/** The array types of Postgres itself with the types of their elements. */
const ELEMENT_OF: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1231, 1700],
  [1270, 1266],
  [199, 114],
  [2951, 2950],
  [3807, 3802],
]);

const builtIn = pg.types.getTypeParser as unknown as (oid: number) => (text: string) => unknown[];
const readTextArray = builtIn(1009);

/** What pg is to read results by: text stays text where no reader was chosen. */
export function readersOf(readers: Readers): pg.CustomTypesConfig {
  const readerOf = (oid: number) => {
    const element = ELEMENT_OF.get(oid);
    if (element === undefined) return readers[oid] ?? asItIs;
    const read = readers[element] ?? asItIs;
    return (text: string) => readTextArray(text).map((one) => readElement(one, read));
  };
  return { getTypeParser: readerOf as pg.CustomTypesConfig["getTypeParser"] };
}

function readElement(element: unknown, read: (text: string) => unknown): unknown {
  if (Array.isArray(element)) return element.map((one) => readElement(one, read));
  return typeof element === "string" ? read(element) : element;
}

function asItIs(text: string): unknown {
  return text;
}
