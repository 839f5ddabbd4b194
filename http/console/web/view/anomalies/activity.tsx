/** What happened to the resources behind it, on the day and the day before. */
import { addDays, rangeText, timeText } from '../../day.ts'
import { Clip } from '../../part/clip.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { hrefOf } from '../../router.ts'
import type { Detail } from './labels.ts'

const kinds: Readonly<Record<string, string>> = {
  state_transition: 'state',
  configuration_change: 'change',
  scheduler_event: 'schedule',
  action_submission: 'action',
}

export function ResourceActivity({ data }: { data: Detail }) {
  const { topResources, schedules, activity, date } = data
  const uids = topResources.map(({ resourceUid }) => resourceUid)
  const names = new Map(topResources.map(({ resourceUid, resourceName }) => [resourceUid, resourceName || resourceUid]))
  const days = { from: addDays(date, -1), to: date }
  const report = {
    operation: 'GET /reports/resources/activity' as const,
    given: { query: { ...days, resource_uid: uids } },
  }
  return (
    <Panel
      title="Activity on these resources"
      about={rangeText(days.from, days.to)}
      tools={uids.length > 0 && <Copies report={report} />}
    >
      {schedules.map(({ resourceUid, scheduleID }) => (
        <p class="note bad" key={`${resourceUid} ${scheduleID}`}>
          Schedule <strong dir="auto">{scheduleID}</strong> should have stopped{' '}
          <span dir="auto">{names.get(resourceUid) ?? resourceUid}</span> but did not.
        </p>
      ))}
      {activity.length === 0 ? (
        <p class="faint">
          {uids.length === 0
            ? 'No resource is known to be the cause.'
            : 'No activity was recorded for these resources on these days: no changes, schedule runs or actions.'}
        </p>
      ) : (
        <>
          <ul class="list">
            {activity.map((one) => (
              <li key={one.id}>
                <span class="badge">{kinds[one.kind] ?? one.kind}</span>
                <span class="grow" dir="auto">
                  {one.summary}
                </span>
                <span class="end faint nowrap">{timeText(one.at)}</span>
                <span class="faint line">
                  <Clip text={names.get(one.resourceUid) ?? one.resourceUid} title={one.resourceUid} /> by{' '}
                  <Clip text={one.actor} />
                </span>
              </li>
            ))}
          </ul>
          <p class="faint">This may be the cause, but nothing proves it.</p>
        </>
      )}
      {uids.length > 0 && (
        <p>
          <a href={hrefOf('costs', { from: addDays(date, -29), to: date, 'filter[resource_uid]': uids })}>
            30-day cost of these resources
          </a>
        </p>
      )}
    </Panel>
  )
}
