import { z } from "zod";

/** In the order in which they are reached. */
export const DELIVERY_STATES = ["offered", "injected", "read", "acknowledged"] as const;
/** `marked` is what somebody else did in the recipient's mailbox: it proves nothing about the recipient. */
const DeliveryState = z.enum(["marked", ...DELIVERY_STATES]);
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
