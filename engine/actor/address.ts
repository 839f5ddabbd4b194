/** Where an actor lives: (organization, place, key) within its kind. */
export interface Address {
  readonly orgId: string
  readonly place: string
  readonly key: string
}
