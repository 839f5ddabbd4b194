/** Which messages told of it, and what became of each. */
import { timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import { Panel } from '../../part/panel.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import type { Detail } from './labels.ts'

type Delivery = Detail['told'][number]

const tones: Readonly<Record<string, string>> = { delivered: 'good', failed: 'failed', held: 'held' }
const holds: Readonly<Record<string, string>> = {
  quiet: 'until quiet hours end',
  digest: 'for a digest',
  circuit: 'until the channel works again',
}

const columns: Column<Delivery>[] = [
  {
    title: 'Channel',
    text: ({ channelID }) => (channelID.startsWith('mail:') ? 'email' : channelID),
    sub: ({ title }) => <Clip text={title} />,
  },
  {
    title: 'Status',
    text: ({ status }) => status,
    badge: ({ status }) => tones[status] ?? '',
    sub: ({ hold, message, tries }) =>
      [hold && holds[hold], message, tries > 1 && pluralize(tries, 'attempt')].filter(Boolean).join(' · '),
  },
  { title: 'Created', show: ({ createdAt }) => <span class="nowrap">{timeText(createdAt)}</span> },
]

export function Notifications({ data: { told, notified, notifiedAt, suppressed, recurring } }: { data: Detail }) {
  const first = notifiedAt === null ? '' : `first accepted ${timeText(notifiedAt)}`
  return (
    <Panel title="Notifications" about={notified ? first : 'no recipient has accepted a message yet'}>
      {told.length === 0 ? (
        <p class="faint">
          {suppressed
            ? 'No one is notified about anomalies explained by new resources.'
            : recurring
              ? 'Recurring anomalies are recorded without a notification unless the organization’s settings say otherwise.'
              : 'No message visible to you is about this anomaly. Notifications depend on channels, expected status, repeats within seven days and the organization’s minimum amount.'}
        </p>
      ) : (
        <Table caption="Messages about this anomaly" columns={columns} rows={told} keyOf={({ id }: Delivery) => id} />
      )}
    </Panel>
  )
}
