import { randomInt } from "node:crypto";
import type { TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import * as store from "../store.ts";
import type { PrincipalRow } from "../tables.ts";
import { newPrincipal, skeletonOf } from "./names.ts";

/** So many names are tried as they are before a number is put behind one. */
const PLAIN_TRIES = 40;
const NUMBERED_TRIES = 40;

/** An agent with a name that people can remember and say, such as CleverOcean, and that nobody has or had. */
export async function memorablePrincipal(ctx: TxCtx): Promise<PrincipalRow> {
  for (let tries = 0; tries < PLAIN_TRIES + NUMBERED_TRIES; tries += 1) {
    const plain = `${any(ADJECTIVES)}${any(NOUNS)}`;
    const name = tries < PLAIN_TRIES ? plain : `${plain}${randomInt(2, 10_000)}`;
    if (await store.findLookAlike(ctx.tx, skeletonOf(name))) continue;
    // Another space may be taking the same one just now.
    const made = await newPrincipal(ctx, { name, kind: "agent" });
    if (made) return made;
  }
  throw new ParleyError("NAME_TAKEN", "No name could be made up that is still free. Give one.");
}

const any = (words: readonly string[]): string => words[randomInt(words.length)] ?? "";

/** No two pairs of these look alike; a test tries them all. */
export const ADJECTIVES: readonly string[] = `
  Able Agile Airy Alert Amber Ample Apt Azure Balmy Bold Brave Breezy Bright Brisk Bronze Calm Candid Careful
  Cheerful Chilly Civil Clean Clear Clever Coastal Copper Coral Cosmic Cozy Crimson Crisp Curious Dapper Daring
  Deft Dewy Diligent Distant Eager Early Earnest Easy Elegant Epic Equal Exact Fair Faithful Fancy Fast Fearless
  Festive Fleet Floral Fluent Fond Frank Free Fresh Friendly Frosty Gallant Generous Gentle Glad Gleaming Global
  Golden Graceful Grand Grateful Green Handy Happy Hardy Hearty Helpful Hidden Honest Hopeful Humble Icy Ideal
  Indigo Ivory Jade Jolly Jovial Joyful Keen Kind Lasting Leafy Level Lilac Limber Lively Loyal Lucid Lucky Lunar
  Maple Marine Mellow Merry Mighty Mindful Misty Modest Mossy Neat Nimble Noble Northern Novel Oaken Olive Open
  Orange Orderly Pacific Patient Peaceful Pearly Plucky Polar Polite Prime Prompt Proud Quick Quiet Radiant Rapid
  Ready Regal Rosy Ruby Rustic Sage Sandy Scarlet Serene Sharp Silent Silver Sincere Sleek Smart Smooth Snowy
  Solar Solid Sonic Southern Spry Stable Stark Steady Stellar Sterling Subtle Sunny Swift Tidal Tidy Tranquil Trim
  True Trusty Upbeat Urban Valiant Velvet Verdant Vivid Warm Western Wise Witty Woolen Young Zesty
`
  .trim()
  .split(/\s+/);

export const NOUNS: readonly string[] = `
  Acorn Alder Anchor Antler Apple Arbor Archer Aspen Aurora Badger Bamboo Banner Basil Bay Beacon Bear Beaver
  Birch Bison Blossom Bluebell Boulder Branch Bridge Brook Canyon Cape Cardinal Castle Cedar Cherry Cliff Cloud
  Clover Comet Compass Condor Cove Crane Creek Crest Cricket Crystal Cypress Daisy Dale Dawn Delta Desert Dolphin
  Dove Dune Eagle Echo Elk Ember Falcon Feather Fern Field Finch Firefly Fjord Forest Fountain Fox Galaxy Garden
  Gazelle Geyser Glacier Glade Grove Gull Harbor Hare Harvest Hawk Hazel Heath Hedge Heron Hill Hollow Horizon
  Iceberg Iguana Iris Island Ivy Jaguar Jasmine Juniper Kestrel Kite Koala Lagoon Lake Lantern Lark Laurel Ledge
  Lemur Linden Lotus Lynx Magnet Magpie Mango Marble Marsh Meadow Mesa Meteor Mint Monsoon Moon Moose Mountain
  Nebula Nectar Newt Oak Oasis Ocean Orbit Orchard Orchid Osprey Otter Owl Palm Panda Pebble Pelican Penguin Peony
  Pepper Petal Phoenix Pine Planet Plateau Plum Pond Poplar Prairie Puffin Quail Quartz Rabbit Raccoon Rain Raven
  Reef Ridge River Robin Rocket Saffron Salmon Sequoia Shore Signal Sky Sparrow Spruce Star Stream Summit Swallow
  Swan Thistle Thunder Tiger Trail Tulip Tundra Turtle Valley Violet Walnut Walrus Waterfall Willow Wind Wren
  Zebra Zenith Zephyr
`
  .trim()
  .split(/\s+/);
