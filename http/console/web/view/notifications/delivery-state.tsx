/** How a delivery stands. */
import type { Reply } from '../../api.ts'

type Deliveries = Reply<'GET /notifications/deliveries'>
export type Delivery = Deliveries['items'][number]

export const stateBadge = ({ status, hold }: Pick<Delivery, 'status' | 'hold'>) => (
  <>
    <span
      class={`badge ${status === 'delivered' ? 'good' : status === 'failed' ? 'failed' : status === 'held' ? 'held' : ''}`}
    >
      {status}
    </span>
    {hold && (
      <>
        {' '}
        <span class="faint">{holds[hold]}</span>
      </>
    )}
  </>
)

const holds: Readonly<Record<string, string>> = {
  quiet: 'until quiet hours end',
  digest: 'for the digest',
  circuit: 'channel failing',
}
