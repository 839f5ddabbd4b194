/** How an upload stands, in words. */
import type { Reply } from '../../api.ts'

type Upload = Reply<'GET /billing/uploads/:uploadID'>

export const states: Readonly<Record<Upload['state'], { text: string; look: string }>> = {
  reading: { text: 'reading', look: '' },
  storing: { text: 'counting lines', look: '' },
  ready: { text: 'ready to apply', look: 'warning' },
  applying: { text: 'applying', look: '' },
  replaced: { text: 'shown in reports', look: 'good' },
  over: { text: 'superseded by a newer bill', look: '' },
  held: { text: 'on hold: less than half of the other bill', look: 'warning' },
  incomplete: { text: 'incomplete: lines missing', look: 'failed' },
  broken: { text: 'interrupted', look: 'failed' },
  discarded: { text: 'discarded', look: '' },
}
