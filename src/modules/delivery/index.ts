import type { Module } from "../../module.ts";

export { DELIVERY_STATES, Delivery } from "./schema.ts";
export { forget, listDeliveries, prove, record } from "./service.ts";

export const delivery = {
  name: "delivery",
  servers: [],
  tools: [],
  tables: ["deliveries"],
} satisfies Module;
