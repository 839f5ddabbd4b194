/** Which messages told of it, and what became of each. */
import { html } from '../../html.ts'
import { timeText } from '../../day.ts'
import { counted } from '../../figure.ts'
import { Panel } from '../../part/panel.ts'
import { Table } from '../../part/table.ts'
import type { Detail } from './words.ts'

type Delivery = Detail['told'][number]

const tones: Readonly<Record<string, string>> = { delivered: 'good', failed: 'failed', held: 'held' }
const holds: Readonly<Record<string, string>> = {
  quiet: 'until quiet hours end',
  digest: 'for a digest',
  circuit: 'until the channel works again',
}

const columns = [
  {
    key: 'channel',
    title: 'Channel',
    show: ({ channelID, title }: Delivery) =>
      html`<span class="clip" title=${channelID}>${channelID.startsWith('mail:') ? 'mail' : channelID}</span><span class="faint clip" dir="auto" title=${title}>${title}</span>`,
  },
  {
    key: 'status',
    title: 'What became of it',
    show: ({ status, hold, message, tries }: Delivery) =>
      html`<span class=${`badge ${tones[status] ?? ''}`}>${status}</span><span class="faint">${[hold && holds[hold], message, tries > 1 && counted(tries, 'try', 'tries')].filter(Boolean).join(' · ')}</span>`,
  },
  {
    key: 'at',
    title: 'Made',
    show: ({ createdAt }: Delivery) => html`<span class="nowrap">${timeText(createdAt)}</span>`,
  },
]

export function Told({ data: { told, notified, notifiedAt, suppressed, recurring } }: { data: Detail }) {
  const first = notifiedAt === null ? '' : `first accepted ${timeText(notifiedAt)}`
  return html`<${Panel} title="Who was told" about=${notified ? first : 'no receiver has accepted a message of it'}>
    ${
      told.length === 0
        ? html`<p class="faint">${suppressed ? 'Nobody is told of what new resources explain.' : recurring ? 'Recurring anomalies are recorded without a message, unless the organization’s settings say otherwise.' : 'No message that you may see tells of it. Channels, what is expected, repeats within seven days and the organization’s least amount decide who is told.'}</p>`
        : html`<${Table} caption="Messages that tell of it" columns=${columns} rows=${told} keyOf=${({ id }: Delivery) => id} />`
    }
  <//>`
}
