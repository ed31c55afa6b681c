/** Small numbers in Spanish, without accents. */
export const SPANISH_NUMBERS = {
  un: 1,
  una: 1,
  uno: 1,
  dos: 2,
  tres: 3,
  cuatro: 4,
  cinco: 5,
  seis: 6,
  siete: 7,
  ocho: 8,
  nueve: 9,
  diez: 10,
};

/** Reads 320.000, 320,000, 320 000, 1.250,50 and 1,2 alike: three digits after a separator are thousands. */
export function parseFigure(figure: string): number {
  return Number(figure.replace(/[.,'’\s](?=\d{3}(?!\d))/g, "").replace(",", "."));
}
