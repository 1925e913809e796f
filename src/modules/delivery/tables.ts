import type { Delivery } from "./schema.ts";

export type NewDeliveryRow = Delivery & { principal_id: string };

/** With the recipient's name. */
export type DeliveryRow = NewDeliveryRow & { name: string };
