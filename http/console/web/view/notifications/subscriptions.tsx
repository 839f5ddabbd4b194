/** Who is told of what: event types beside channels, and what is told of single accounts, groups, resources and teams. */
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Choice } from '../../part/period.tsx'
import { Empty, Loading } from '../../part/report-content.tsx'
import { eventName, useChannels, type EventTypes, type Subscriptions as List } from './channels-and-events.ts'
import { Matrix } from './matrix.tsx'
import { SubscriptionList } from './subscription-list.tsx'

/** Columns beside each other; of more channels some are chosen. */
const columnsMax = 8

export function Subscriptions() {
  const channels = useChannels()
  const types = useReport('GET /notifications/event-types')
  const report = useReport('GET /notifications/subscriptions')
  const [chosen, eventType] = [param('channel_id'), param('event_type')]
  const all = channels.data ?? []
  if (channels.data && all.length === 0)
    return (
      <Panel title="Subscriptions">
        <Empty title="No channels yet.">
          <p>
            <Next needs="service.create" what="Creating one">
              <a href={hrefOf('notifications', { new: 1 })}>Create the first one</a>.
            </Next>{' '}
            Owners and admins get emails without one.
          </p>
        </Empty>
      </Panel>
    )
  const shown = chosen === undefined ? all.slice(0, columnsMax) : all.filter(({ id }) => id === chosen)
  return (
    <>
      <div class="bar">
        <Choice
          title="Channel"
          name="channel_id"
          none={all.length > columnsMax ? `the first ${columnsMax}` : 'all'}
          choices={all.map(({ id, name }) => [id, name.slice(0, 60)])}
        />
        <Choice
          title="Event"
          name="event_type"
          none="all"
          choices={(types.data ?? []).map((one) => [one.key, eventName(one)])}
        />
        {(chosen ?? eventType) !== undefined && (
          <button type="button" class="quiet" onClick={() => change({ channel_id: null, event_type: null })}>
            Show all
          </button>
        )}
      </div>
      <ReportPanel
        title="Organization-wide subscriptions"
        about="for any account, group, resource or team"
        report={report}
        rows={8}
        foot={<p class="faint after">A channel is notified once per event, however many of its subscriptions match.</p>}
      >
        {(data: List) =>
          types.data && channels.data ? (
            <Matrix
              types={typesShown(types.data, eventType)}
              channels={shown}
              subscriptions={data}
              again={report.again}
            />
          ) : (
            <Loading rows={8} />
          )
        }
      </ReportPanel>
      <SubscriptionList report={report} channels={all} types={types.data ?? []} />
    </>
  )
}

const typesShown = (types: EventTypes, chosen: string | undefined): EventTypes =>
  chosen === undefined ? types : types.filter(({ key }) => key === chosen)
