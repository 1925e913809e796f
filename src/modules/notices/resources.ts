import { defineResource, type Watch } from "../../resource.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "notices",
    title: "Open notices",
    description: "What waits for a person: the newest open notices, as notice_list gives them.",
    uri: "parley://notices",
    mime: "application/json",
    roles: ["human", "admin", "observer"],
    facets: ["chat-human"],
    read: service.openNotices,
    watch: async () => ({ places: [{ topic: "notice" }], hint: changed }),
  }),
];

// One function for all who watch: a door works out once what everybody with the same one is told.
const changed: Watch["hint"] = () => ({});
