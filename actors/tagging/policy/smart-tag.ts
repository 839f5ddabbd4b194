/**
 * Derived tags of a resource, and which of them are effective: a derived tag is pending until it is accepted (decision
 * G-37).
 */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { smartTagDecided } from '#streams/tagging.ts'
import type { DerivedTags } from './derive.ts'
import type { ResourceTagging } from '#actors/tagging/entity.ts'

type Tags = Readonly<Record<string, string>>
type Smart = Pick<ResourceTagging, 'derived' | 'accepted'>

const has = (tags: Tags, key: string): boolean => Object.hasOwn(tags, key)
const only = (tags: Tags, keep: (key: string, value: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).filter(([key, value]) => keep(key, value)))

/** The derived tags that are not accepted. */
export const pendingOf = ({ derived, accepted }: Smart): Record<string, string> =>
  only(derived, (key, value) => !has(accepted, key) || accepted[key] !== value)

/** Drops accepted tags that are no longer derived with the same value. */
export function takeDerived(row: ResourceTagging, { derived, derivedBy, leftOut }: DerivedTags): void {
  const accepted = only(row.accepted, (key, value) => has(derived, key) && derived[key] === value)
  Object.assign(row, { derived, derivedBy, leftOut, accepted })
}

/**
 * @throws Fault `missing`, `invalid` with each key that is not pending, or for a revocation not accepted; never if
 * `quiet`
 */
export function decideSmart(row: ResourceTagging, decision: Static<typeof smartTagDecided.schema>): void {
  const { accepted: isAccepting, keys, all = false, quiet = false } = decision
  if (row.deletedAt || row.observedAt.getTime() === 0) {
    if (quiet) return
    throw Fault.missing('resource', row.uid)
  }
  const open = isAccepting ? pendingOf(row) : row.accepted
  const wanted = new Set(all ? Object.keys(open) : keys)
  const unknown = all || quiet ? [] : keys.flatMap((key, i) => (has(open, key) ? [] : [{ key, i }]))
  if (unknown.length > 0)
    throw Fault.invalidAt(
      ...unknown.map(({ key, i }) => ({
        path: `/keys/${i}`,
        code: 'unknown',
        message: `${key} is not ${isAccepting ? 'pending' : 'accepted'}`,
      })),
    )
  row.accepted = isAccepting
    ? Object.fromEntries([...Object.entries(row.accepted), ...Object.entries(only(open, (key) => wanted.has(key)))])
    : only(row.accepted, (key) => !wanted.has(key))
}

/** The form in which replies contain them. */
export const entryOf = (row: ResourceTagging) => ({
  resourceUid: row.uid,
  cloudAccountId: row.cloudAccountId,
  derived: row.derived,
  accepted: row.accepted,
  pending: pendingOf(row),
})
