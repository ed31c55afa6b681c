import { z } from "zod";
import { amount, textOrNull, words } from "../../../../types/contracts/fields.ts";
import { ListingType, PropertyType } from "../../../../types/contracts/properties.ts";
import { readDescribedSearch } from "../described_search.ts";
import { cutList, limit, propertySummary } from "../fields.ts";
import { defineTool, READS } from "../tool.ts";

const bedrooms = z.int().min(0).max(50);

export const buscar_propiedades = defineTool({
  name: "buscar_propiedades",
  title: "Buscar inmuebles por descripción",
  description: [
    "Encuentra inmuebles disponibles a partir de una descripción en español: «piso de 3 habitaciones en Ruzafa, hasta 300.000, con terraza».",
    "Entiende tipo, venta o alquiler, precio, habitaciones, baños, metros y zona, y ordena por las demás palabras. En «understood» dice cómo ha entendido la petición, y en cada inmueble qué palabras cumple y cuáles no; compruébalo antes de presentar los resultados.",
    "Los argumentos listing_type, price_max y bedrooms_min prevalecen sobre lo que diga la descripción.",
  ].join(" "),
  permission: "properties:read",
  annotations: READS,
  input: z.strictObject({
    query: words(500).describe("Lo que se busca, descrito en español."),
    listing_type: ListingType.optional().describe("sale (en venta) o rent (en alquiler)."),
    price_max: amount.optional().describe("Precio máximo en EUR; renta mensual si es alquiler."),
    bedrooms_min: bedrooms.optional().describe("Dormitorios como mínimo, de 0 a 50."),
    limit: limit(25, 10, "inmuebles"),
  }),
  output: z.strictObject({
    understood: z
      .strictObject({
        listing_type: ListingType.optional().describe("sale o rent; ausente si no se ha pedido."),
        property_types: z
          .array(PropertyType.describe("Un tipo."))
          .optional()
          .describe("Tipos de inmueble admitidos."),
        price_min: z.number().optional().describe("Precio mínimo en EUR."),
        price_max: z.number().optional().describe("Precio máximo en EUR."),
        bedrooms_min: z.number().optional().describe("Dormitorios como mínimo."),
        bathrooms_min: z.number().optional().describe("Baños como mínimo."),
        area_min_m2: z.number().optional().describe("Superficie mínima en m²."),
        places: z
          .array(z.string())
          .describe("Zonas y ciudades de la agencia reconocidas en la descripción; filtran."),
        terms: z
          .array(z.string())
          .describe("Las demás palabras, que no filtran: ordenan por título y descripción."),
      })
      .describe(
        "Cómo se ha entendido la petición. Lo que no aparece aquí no se ha tenido en cuenta.",
      ),
    properties: cutList(
      z.strictObject({
        ...propertySummary,
        matched_terms: z.array(z.string()).describe("Palabras de terms que el anuncio menciona."),
        missing_terms: z
          .array(z.string())
          .describe("Palabras de terms que el anuncio no menciona."),
        excerpt: textOrNull.describe("Comienzo de la descripción del anuncio."),
      }),
      25,
      "Los inmuebles disponibles que cumplen los filtros, el más adecuado primero.",
    ),
  }),
  async run({ query, limit, ...given }, { rpc }) {
    const { filters, words: unread } = readDescribedSearch(query);
    return rpc("mcp_search_properties", {
      filters: { ...filters, ...given },
      words: unread,
      page_limit: limit,
    });
  },
});
