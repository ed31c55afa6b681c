import {
  CreateSignature,
  ListSignaturesQuery,
  Signature,
  UpdateSignature,
} from "../../../types/contracts/signatures.ts";
import { Resource } from "../resource.ts";

const access = { read: "signatures:read", write: "signatures:write" } as const;

export const signatures = new Resource(Signature, access)
  .list("list_signatures", ListSignaturesQuery)
  .get("get_signature", (signature_id) => ({ signature_id }))
  .create("create_signature", CreateSignature)
  .update("update_signature", UpdateSignature, (signature_id, patch) => ({
    signature_id,
    patch,
  })).routes;
