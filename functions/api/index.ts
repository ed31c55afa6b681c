import { serve } from "../_shared/serve.ts";
import { app } from "./app.ts";

serve(["url", "publishable key"], (request) => app.fetch(request));
