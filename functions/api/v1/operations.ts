import {
  CreateOperation,
  ListOperationsQuery,
  Operation,
  UpdateOperation,
} from "../../../types/contracts/operations.ts";
import { one } from "../../../types/contracts/pages.ts";
import { Resource } from "../resource.ts";

const access = { read: "operations:read", write: "operations:write" } as const;

export const operations = new Resource(Operation, access)
  .list("list_operations", ListOperationsQuery)
  .get("get_operation", (operation_id) => ({ operation_id }))
  // 200 returns the lead's open operation.
  .create("create_operation", CreateOperation, { 200: one(Operation), 201: one(Operation) })
  .update("update_operation", UpdateOperation, (operation_id, patch) => ({
    operation_id,
    patch,
  })).routes;
