/** Every subscription there is, switched off ones too; and subscribing a channel to one account, group, resource or team. */
import { useState } from 'preact/hooks'
import { param } from '../../router.ts'
import { useRequest, type Report } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Clip } from '../../part/clip.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
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
  const [channel, event] = [param('channel_id'), param('event_type')]
  const channelName = (id: string) => channels.find((one) => one.id === id)?.name ?? id
  const columns: Column<Subscription>[] = [
    { title: 'Channel', text: ({ channelID }) => channelName(channelID) },
    {
      title: 'Event',
      text: ({ eventType }) => {
        const type = types.find(({ key }) => key === eventType)
        return type ? eventName(type) : eventType
      },
      sub: ({ eventType }) => <code>{eventType}</code>,
    },
    {
      title: 'Scope',
      text: ({ scopeType }) => scopeTitles[scopeType],
      sub: ({ scopeType, scopeID }) =>
        scopeType !== 'org' && <Clip text={scopeName(names, scopeType, scopeID)} title={scopeID} size="wide" />,
    },
    { title: 'Status', isAction: true, show: (one) => <Switch subscription={one} again={report.again} /> },
    {
      title: 'Actions',
      isAction: true,
      show: (one) => <Delete subscription={one} channel={channelName(one.channelID)} onDone={report.again} />,
    },
  ]
  return (
    <ListView
      title="All subscriptions"
      noun="subscriptions"
      caption="Subscriptions"
      report={report}
      rows={(data) =>
        data.filter(
          ({ channelID, eventType }) =>
            (channel === undefined || channelID === channel) && (event === undefined || eventType === event),
        )
      }
      columns={columns}
      bones={3}
      tools={
        !isOpen && (
          <Act needs="service.create" onClick={() => setOpen(true)}>
            Add scoped subscription
          </Act>
        )
      }
      intro={
        isOpen && (
          <Subscribe
            channels={channels}
            types={types}
            names={names}
            onClose={() => setOpen(false)}
            onDone={report.again}
          />
        )
      }
      empty={{
        title: 'No subscriptions yet.',
        children: (
          <p>
            <Next needs="service.create" what="Subscribing a channel">
              Select events for a channel in the table above.
            </Next>
          </p>
        ),
      }}
    />
  )
}

function scopeName(names: ScopeNames, type: string, id: string): string {
  const listed = names[type as keyof ScopeNames] as ScopeNames[keyof ScopeNames] | undefined
  return listed?.find((one) => one.id === id)?.name ?? id
}

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
  channel: string
  onDone: () => void
}

const Delete = ({ subscription: { id, eventType }, channel, onDone }: DeleteProps) => (
  <ConfirmButton
    operation="DELETE /notifications/subscriptions/:subID"
    params={{ subID: id }}
    needs="service.delete"
    class="quiet"
    isDanger
    label="Delete…"
    name={`Delete: ${channel}, ${eventType}`}
    title="Delete this subscription?"
    action="Delete subscription"
    onDone={onDone}
  >
    <p>
      <strong dir="auto">{channel}</strong> no longer receives <code>{eventType}</code> for it, unless another of its
      subscriptions matches. You can create it again.
    </p>
  </ConfirmButton>
)
