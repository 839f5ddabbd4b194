/** Shared by changes of teams and of resource groups. The one writer of AttributionClock. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { checkedName } from '#streams/text.ts'

const nextSql = `
  insert into attribution_clock (org_id, at) values (?, ?)
  on conflict (org_id) do update set at = greatest(excluded.at, attribution_clock.at + interval '1 millisecond')
  returning at`

/**
 * Starts a change of an organization's teams or groups. Changes run one after another; each has a time at least one
 * millisecond after the one before, whatever the clocks of the processes say. Returns that time.
 */
export async function beginChange({ em, orgId, now }: RecordChange): Promise<Date> {
  const [row] = await em.execute<{ at: string }[]>(nextSql, [orgId, now().toISOString()])
  return new Date(row!.at)
}

const ruledSql = {
  allocated: 'update attribution_clock set allocated = true where org_id = ? and not allocated',
  shared: 'update attribution_clock set shared = true where org_id = ? and not shared',
}

/** Starts a change of rules of this kind: from then on queries take such rules into account. Returns its time. */
export async function begunRule(change: RecordChange, kind: keyof typeof ruledSql): Promise<Date> {
  const at = await beginChange(change)
  await change.em.execute(ruledSql[kind], [change.orgId])
  return at
}

/**
 * The checked name as it is stored. `holder` finds the id that has a name.
 * @throws Fault `conflict` `already_exists` if another than `own` has it
 */
export async function freeName(
  { em, orgId }: RecordChange,
  given: string,
  holder: (em: EntityManager, orgId: string, name: string) => Promise<string | undefined>,
  own?: string,
): Promise<string> {
  const name = checkedName(given)
  const id = await holder(em, orgId, name)
  if (id !== undefined && id !== own) throw Fault.conflict('already_exists', 'This name is already in use.')
  return name
}
