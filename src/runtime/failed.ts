/** Why a turn failed, in words for people. */
export class TurnFailed extends Error {
  override readonly name = "TurnFailed";
}
