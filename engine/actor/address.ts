/** The address of an actor within its kind: organization, place, key. */
export interface Address {
  readonly orgId: string
  readonly place: string
  readonly key: string
}
