/** What is worth knowing before a schedule is created: what it can save at most, and which other schedules have the same targets. */
import { addDays, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { rulesText, weekGrid, type ScheduleRule } from './week.ts'

interface Targets {
  resourceUIDs: readonly string[]
  resourceGroupIDs: readonly string[]
  rules: readonly ScheduleRule[]
}

/** Resources that fit into an address. */
const uidsMax = 40
const hoursOfWeek = 168

/** @param id of the schedule itself, where it is there already */
export function Conflicts({ draft, id }: { draft: Targets; id: string | undefined }) {
  const { resourceUIDs, resourceGroupIDs, rules } = draft
  const others = useReport('GET /schedules', { query: { limit: 100 } }).data?.items ?? []
  const same = others.filter(
    (one) =>
      one.id !== id &&
      (one.resourceUIDs.some((uid) => resourceUIDs.includes(uid)) ||
        one.resourceGroupIDs.some((group) => resourceGroupIDs.includes(group))),
  )
  return (
    <>
      <Estimate uids={resourceUIDs} rules={rules} />
      {same.length > 0 && (
        <div class="note">
          <p>Other schedules have some of the same targets. Whichever runs last decides:</p>
          <ul>
            {same.slice(0, 5).map((one) => (
              <li key={one.id}>
                <Clip text={one.name} size="wide" href={hrefOf('schedules', { schedule: one.id })} />{' '}
                <span class="faint">
                  {rulesText(one.rules).join('; ')} ({one.timezone}){one.enabled ? '' : ', paused'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/** At most: what is stored is charged while it is off, and some of the hours were off already. */
function Estimate({ uids, rules }: { uids: readonly string[]; rules: readonly ScheduleRule[] }) {
  const off = weekGrid(rules)?.filter((isOn) => isOn === false).length ?? 0
  const { data } = useReport('GET /reports/costs/series', {
    query: {
      from: addDays(today(), -29),
      to: today(),
      'filter[resource_uid]': uids.slice(0, uidsMax),
      granularity: 'monthly',
    },
    when: off > 0 && uids.length > 0 && uids.length <= uidsMax,
  })
  if (!data) return null
  return (
    <p>
      Off for {off} of {hoursOfWeek} hours a week: saves at most{' '}
      <strong>{usd((data.total.costUSD * off) / hoursOfWeek)}</strong> in 30 days. Disks and addresses are still
      charged.
    </p>
  )
}
