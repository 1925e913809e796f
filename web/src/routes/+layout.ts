import { firstAnswers } from "#lib/hub/first.ts";

export const ssr = false;
export const prerender = false;

export const load = firstAnswers;
