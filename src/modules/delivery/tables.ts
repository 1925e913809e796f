import type { Delivery } from "./schema.ts";

export type DeliveryRow = Delivery & { principal_id: string };
