/** How an upload stands, in words. */
import type { Reply } from '../../api.ts'

type Upload = Reply<'GET /billing/uploads/:uploadID'>

export const states: Readonly<Record<Upload['state'], { text: string; look: string }>> = {
  reading: { text: 'being read', look: '' },
  storing: { text: 'lines are being counted', look: '' },
  ready: { text: 'waits for you', look: 'warning' },
  applying: { text: 'being applied', look: '' },
  replaced: { text: 'shown in reports', look: 'good' },
  over: { text: 'a newer bill is shown', look: '' },
  held: { text: 'held: less than half of another', look: 'warning' },
  incomplete: { text: 'lines are missing', look: 'failed' },
  broken: { text: 'broken off', look: 'failed' },
  discarded: { text: 'discarded', look: '' },
}
