import {
  CreateViewing,
  ListViewingsQuery,
  UpdateViewing,
  Viewing,
} from "../../../types/contracts/viewings.ts";
import { Resource } from "../resource.ts";

export const viewings = new Resource(Viewing, { read: "viewings:read", write: "viewings:write" })
  .list("list_viewings", ListViewingsQuery)
  .get("get_viewing", (viewing_id) => ({ viewing_id }))
  .create("create_viewing", CreateViewing)
  .update("update_viewing", UpdateViewing, (viewing_id, patch) => ({ viewing_id, patch })).routes;
