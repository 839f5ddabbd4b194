/** The channels: chats and mailboxes, what is wrong with them, and trying one. */
import { useState } from 'preact/hooks'
import { ago, timeText } from '../../day.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { addressShown, typeTitles, useChannels, type Channel, type Channels as List } from './channels-and-events.ts'
import { ChannelForm } from './channel-form.tsx'
import { Delete, NewSecret, Test } from './channel-acts.tsx'

export function Channels() {
  const report = useChannels()
  const edited = report.data?.find(({ id }) => id === param('edit'))
  const isForm = param('new') !== undefined || edited !== undefined
  const close = () => change({ new: null, edit: null })
  const done = () => {
    report.again()
    close()
  }
  return (
    <>
      {isForm && <ChannelForm key={edited?.id ?? 'new'} channel={edited} onClose={close} onDone={done} />}
      <Panel
        title="Channels"
        tools={
          <>
            {!isForm && (
              <Act needs="service.create" class="main" onClick={() => change({ new: 1 })}>
                New channel
              </Act>
            )}
            <Copies report={report} />
          </>
        }
      >
        <ReportContent report={report} rows={3}>
          {(data: List) =>
            data.length === 0 ? (
              <Empty title="No channels yet.">
                <p>
                  A channel notifies a chat or mailbox about budgets, anomalies, starts and stops. Owners and admins get{' '}
                  <a href={hrefOf('notifications', { tab: 'mails' })}>emails</a> without one.
                </p>
              </Empty>
            ) : (
              <ChannelTable channels={data} again={report.again} />
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

type OpenDialog = { what: 'delete' | 'secret'; channel: Channel } | undefined

function ChannelTable({ channels, again }: { channels: List; again: () => void }) {
  const [asked, setAsked] = useState<OpenDialog>()
  const close = () => setAsked(undefined)
  const told = useReport('GET /notifications/subscriptions')
  const counts = (id: string) => told.data?.filter(({ channelID, enabled }) => channelID === id && enabled).length
  return (
    <>
      <Table
        caption="Channels"
        columns={columnsOf(counts, setAsked, again)}
        rows={channels}
        keyOf={({ id }: Channel) => id}
      />
      {asked?.what === 'delete' && (
        <Delete channel={asked.channel} count={counts(asked.channel.id)} onClose={close} onDone={again} />
      )}
      {asked?.what === 'secret' && <NewSecret channel={asked.channel} onClose={close} />}
    </>
  )
}

const columnsOf = (
  counts: (id: string) => number | undefined,
  setAsked: (asked: OpenDialog) => void,
  again: () => void,
) => [
  {
    key: 'name',
    title: 'Channel',
    by: ({ name }: Channel) => name.toLowerCase(),
    show: ({ name, type, config }: Channel) => (
      <>
        <span class="clip wide" dir="auto" title={name}>
          {name}
        </span>
        <span class="sub faint">
          {typeTitles[type]} <code>{addressShown(config)}</code>
        </span>
      </>
    ),
  },
  { key: 'how', title: 'Delivery', show: ({ config }: Channel) => <Options config={config} /> },
  {
    key: 'of',
    title: 'Subscriptions',
    show: ({ id }: Channel) => (
      <a class="nowrap" href={hrefOf('notifications', { tab: 'subscriptions', channel_id: id })}>
        {counts(id) === 0 ? 'none yet' : `${counts(id) ?? '…'} subscribed`}
      </a>
    ),
  },
  { key: 'state', title: 'Health', show: (one: Channel) => <Health channel={one} /> },
  { key: 'test', title: 'Test', show: (one: Channel) => <Test channel={one} again={again} /> },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Channel) => (
      <>
        <Act
          needs="service.update"
          isSmall
          class="quiet"
          label={`Edit ${one.name}`}
          onClick={() => change({ edit: one.id, new: null })}
        >
          Edit
        </Act>
        {one.type !== 'email' && (
          <Act
            needs="service.update"
            isSmall
            class="quiet"
            label={`New secret… of ${one.name}`}
            onClick={() => setAsked({ what: 'secret', channel: one })}
          >
            New secret…
          </Act>
        )}
        <Act
          needs="service.delete"
          isSmall
          class="quiet"
          label={`Delete ${one.name}`}
          onClick={() => setAsked({ what: 'delete', channel: one })}
        >
          Delete…
        </Act>
      </>
    ),
  },
]

function Options({ config: { digest, timezone, quietHours, fold } }: Pick<Channel, 'config'>) {
  const words = [
    digest === 'hourly' ? 'hourly' : digest === 'daily' ? `daily, 9:00 ${timezone ?? 'UTC'}` : 'immediately',
    quietHours ? `quiet ${quietHours.from}–${quietHours.to} ${quietHours.timezone}` : '',
    fold ? 'grouped by cause' : '',
  ]
  return (
    <>
      {words
        .filter((word) => word !== '')
        .map((word) => (
          <span class="sub" key={word}>
            {word}
          </span>
        ))}
    </>
  )
}

function Health({ channel: { id, lastFailure, confirmation } }: { channel: Channel }) {
  if (confirmation === 'pending')
    return (
      <>
        <span class="badge failed">not confirmed</span>
        <span class="sub faint">the recipient was emailed to confirm; nothing is sent until they do</span>
      </>
    )
  if (!lastFailure) return <span class="badge good">healthy</span>
  const { at, message, responseStatus, brokenSince, deliveryID } = lastFailure
  return (
    <>
      <span class="badge failed">{brokenSince ? 'failing' : 'last delivery failed'}</span>
      <span class="sub" title={timeText(at)}>
        {message}
        {responseStatus ? ` (${responseStatus})` : ''} <span class="faint">{ago(at)}</span>
      </span>
      <a class="sub" href={hrefOf('notifications', { tab: 'sent', channel_id: id, delivery: deliveryID })}>
        details
      </a>
      {brokenSince && <span class="sub faint">new deliveries wait; one is retried every ten minutes</span>}
    </>
  )
}
