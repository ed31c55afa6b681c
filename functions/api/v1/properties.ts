import { ListPropertiesQuery, Property } from "../../../types/contracts/properties.ts";
import { Resource } from "../resource.ts";

export const properties = new Resource(Property, { read: "properties:read" })
  .list("list_properties", ListPropertiesQuery)
  .get("get_property", (property_id) => ({ property_id })).routes;
