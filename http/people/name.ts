/** Names of people in responses; reports keep their ids. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { isUuid } from '#engine/value/id.ts'
import { t } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'

/** The name next to an actor's id. */
export const PersonName = orNull(
  t.String({
    description: 'display name; null if this is not a person, is no longer a member, or has no name',
  }),
)

/** The person in an actor id: `user:<id>`, `manual:<id>`, or the id. */
const personIn = (actor: string): string => /^(?:user|manual):(.*)$/s.exec(actor)?.[1] ?? actor

// Of a person who has not joined yet the organization only knows the address.
const namesSql = `
  select u.id, u.name from app_user u join member m on m.user_id = u.id
  where m.org_id = ? and m.status = 'active' and u.name <> '' and u.id::text = any(string_to_array(?, ','))`

/** The names of the active members among `actors`, in one statement for any number of them. */
export async function namesOf(
  em: EntityManager,
  orgId: string,
  actors: readonly string[],
): Promise<(actor: string) => string | null> {
  const ids = [...new Set(actors.map(personIn))].filter(isUuid)
  const rows = ids.length === 0 ? [] : await em.execute<{ id: string; name: string }[]>(namesSql, [orgId, ids.join()])
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return (actor) => names.get(personIn(actor)) ?? null
}
