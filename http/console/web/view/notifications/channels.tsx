/** The channels: chats and mailboxes, what is wrong with them, and trying one. */
import { useState } from 'preact/hooks'
import { ago, timeText } from '../../day.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { addressShown, typeTitles, useChannels, type Channel } from './channels-and-events.ts'
import { ChannelForm } from './channel-form.tsx'
import { Delete, NewSecret, Test } from './channel-acts.tsx'

export function Channels() {
  const report = useChannels()
  const [renewed, setRenewed] = useState<Channel | undefined>()
  const subscriptions = useReport('GET /notifications/subscriptions').data
  const countOf = (id: string) => subscriptions?.filter(({ channelID, enabled }) => channelID === id && enabled).length
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
      <ListView
        title="Channels"
        noun="channels"
        report={report}
        columns={columnsOf(countOf, setRenewed, report.again)}
        bones={3}
        tools={
          !isForm && (
            <Act needs="service.create" class="main" onClick={() => change({ new: 1 })}>
              New channel
            </Act>
          )
        }
        empty={{
          title: 'No channels yet.',
          children: (
            <p>
              A channel notifies a chat or mailbox about budgets, anomalies, starts and stops. Owners and admins get{' '}
              <a href={hrefOf('notifications', { tab: 'mails' })}>emails</a> without one.
            </p>
          ),
        }}
      />
      {renewed && <NewSecret channel={renewed} onClose={() => setRenewed(undefined)} />}
    </>
  )
}

const columnsOf = (
  countOf: (id: string) => number | undefined,
  renew: (channel: Channel) => void,
  again: () => void,
): Column<Channel>[] => [
  {
    title: 'Channel',
    text: ({ name }) => name,
    sub: ({ type, config }) => (
      <>
        {typeTitles[type]} <code>{addressShown(config)}</code>
      </>
    ),
  },
  { title: 'Delivery', show: ({ config }) => <Options config={config} /> },
  {
    title: 'Subscriptions',
    count: ({ id }) => countOf(id),
    isFigure: false,
    show: ({ id }) => (
      <a class="nowrap" href={hrefOf('notifications', { tab: 'subscriptions', channel_id: id })}>
        {countOf(id) === 0 ? 'none yet' : `${countOf(id) ?? '…'} subscribed`}
      </a>
    ),
  },
  { title: 'Health', show: (one) => <Health channel={one} /> },
  { title: 'Test', isAction: true, show: (one) => <Test channel={one} again={again} /> },
  {
    title: 'Actions',
    isAction: true,
    show: (one) => (
      <>
        <Act
          needs="service.update"
          isSmall
          class="quiet"
          label={`Edit ${one.name}`}
          onClick={() => change({ edit: one.id, new: null })}
        >
          Edit
        </Act>{' '}
        {one.type !== 'email' && (
          <Act
            needs="service.update"
            isSmall
            class="quiet"
            label={`New secret… of ${one.name}`}
            onClick={() => renew(one)}
          >
            New secret…
          </Act>
        )}{' '}
        <Delete channel={one} count={countOf(one.id)} onDone={again} />
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
