/** Every subscription there is, switched off ones too; and subscribing a channel to one account, group, resource or team. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { param } from '../../router.ts'
import { useRequest, type Report } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import {
  eventName,
  useScopeNames,
  type Channel,
  type EventType,
  type ScopeNames,
  type Subscription,
  type Subscriptions,
} from './channels-and-events.ts'
import { Subscribe } from './subscribe.tsx'

interface SubscriptionListProps {
  report: Report<Subscriptions>
  channels: readonly Channel[]
  types: readonly EventType[]
}

const scopeTitles: Readonly<Record<string, string>> = {
  org: 'organization',
  cloud_account: 'account',
  resource_group: 'resource group',
  resource: 'resource',
  team: 'team',
}

export function SubscriptionList({ report, channels, types }: SubscriptionListProps) {
  const names = useScopeNames()
  const [isOpen, setOpen] = useState(false)
  const [deleted, setDeleted] = useState<Subscription | undefined>()
  const [channel, event] = [param('channel_id'), param('event_type')]
  const isShown = ({ channelID, eventType }: Subscription) =>
    (channel === undefined || channelID === channel) && (event === undefined || eventType === event)
  const titles: Titles = {
    channel: (id) => channels.find((one) => one.id === id)?.name ?? id,
    event: (key) => types.find((one) => one.key === key),
    scope: ({ scopeType, scopeID }) => scopeName(names, scopeType, scopeID),
  }
  const columns = columnsOf(titles, setDeleted, report.again)
  return (
    <>
      <Panel
        title="All subscriptions"
        tools={
          !isOpen && (
            <Act needs="service.create" onClick={() => setOpen(true)}>
              Add scoped subscription
            </Act>
          )
        }
      >
        {isOpen && (
          <Subscribe
            channels={channels}
            types={types}
            names={names}
            onClose={() => setOpen(false)}
            onDone={report.again}
          />
        )}
        <ReportContent report={report} rows={3}>
          {(data: Subscriptions) => {
            const rows = data.filter(isShown)
            return rows.length === 0 ? (
              <Empty title="No subscriptions yet.">
                <p>
                  <Next needs="service.create" what="Subscribing a channel">
                    Select events for a channel in the table above.
                  </Next>
                </p>
              </Empty>
            ) : (
              <Table caption="Subscriptions" columns={columns} rows={rows} keyOf={({ id }: Subscription) => id} />
            )
          }}
        </ReportContent>
      </Panel>
      {deleted && (
        <Delete subscription={deleted} titles={titles} onClose={() => setDeleted(undefined)} onDone={report.again} />
      )}
    </>
  )
}

interface Titles {
  channel: (id: string) => string
  event: (key: string) => EventType | undefined
  scope: (subscription: Subscription) => string
}

function scopeName(names: ScopeNames, type: string, id: string): string {
  const listed = names[type as keyof ScopeNames] as ScopeNames[keyof ScopeNames] | undefined
  return listed?.find((one) => one.id === id)?.name ?? id
}

const columnsOf = (titles: Titles, setDeleted: (subscription: Subscription) => void, again: () => void) => [
  {
    key: 'channel',
    title: 'Channel',
    by: ({ channelID }: Subscription) => titles.channel(channelID).toLowerCase(),
    show: ({ channelID }: Subscription) => (
      <span class="clip" dir="auto" title={titles.channel(channelID)}>
        {titles.channel(channelID)}
      </span>
    ),
  },
  {
    key: 'event',
    title: 'Event',
    by: ({ eventType }: Subscription) => eventType,
    show: ({ eventType }: Subscription) => {
      const type = titles.event(eventType)
      return (
        <>
          {type ? eventName(type) : eventType}
          <code class="sub faint">{eventType}</code>
        </>
      )
    },
  },
  {
    key: 'scope',
    title: 'Scope',
    by: ({ scopeType }: Subscription) => scopeType,
    show: (one: Subscription) => (
      <>
        {scopeTitles[one.scopeType]}
        {one.scopeType !== 'org' && (
          <span class="sub clip wide" dir="auto" title={one.scopeID}>
            {titles.scope(one)}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'on',
    title: 'Status',
    show: (one: Subscription) => <Switch subscription={one} again={again} />,
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Subscription) => (
      <Act
        needs="service.delete"
        isSmall
        class="quiet"
        label={`Delete: ${titles.channel(one.channelID)}, ${one.eventType}`}
        onClick={() => setDeleted(one)}
      >
        Delete…
      </Act>
    ),
  },
]

function Switch({ subscription: { id, enabled }, again }: { subscription: Subscription; again: () => void }) {
  const doing = useRequest('PUT /notifications/subscriptions/:subID')
  const put = () => void doing.run({ params: { subID: id }, body: { enabled: !enabled } }, again)
  return (
    <>
      <span class={`badge ${enabled ? 'good' : ''}`}>{enabled ? 'enabled' : 'disabled'}</span>{' '}
      <Act needs="service.update" isSmall class="quiet" disabled={doing.isBusy} onClick={put}>
        {enabled ? 'Disable' : 'Enable'}
      </Act>
      {doing.problem && <ProblemMessage problem={doing.problem} />}
    </>
  )
}

interface DeleteProps {
  subscription: Subscription
  titles: Titles
  onClose: () => void
  onDone: () => void
}

function Delete({ subscription, titles, onClose, onDone }: DeleteProps) {
  const doing = useRequest('DELETE /notifications/subscriptions/:subID')
  const params = { subID: subscription.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm
      title="Delete this subscription?"
      action="Delete subscription"
      isDanger
      doing={doing}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        <strong dir="auto">{titles.channel(subscription.channelID)}</strong> no longer receives{' '}
        <code>{subscription.eventType}</code> for it, unless another of its subscriptions matches. You can create it
        again.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /notifications/subscriptions/:subID', params)} />
      </p>
    </Confirm>
  )
}
