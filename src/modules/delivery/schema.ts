import { z } from "zod";

/** In the order in which they are reached. */
export const DELIVERY_STATES = ["offered", "injected", "read", "acknowledged"] as const;
export const DeliveryState = z.enum(DELIVERY_STATES);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const Delivery = z.object({
  channel: z.string(),
  attempt: z.int(),
  state: DeliveryState,
  proof: z.string(),
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
});
export type Delivery = z.infer<typeof Delivery>;
