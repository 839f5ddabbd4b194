/** What is asked for an account, where that is not its cloud. */
import { html } from '../html.ts'

export type DriverName = 'real' | 'simulated' | 'none'

const words = {
  simulated: { text: 'simulated', why: 'A made-up cloud of this installation is asked, not that of the provider.' },
  none: {
    text: 'fed by producers',
    why: 'No cloud is asked: it is what producers send and the bills that are uploaded.',
  },
} as const

/** Nothing where its cloud is asked, or where it is not known yet. */
export function Driver({ driver }: { driver: DriverName | undefined }) {
  if (driver === undefined || driver === 'real') return null
  const { text, why } = words[driver]
  return html`<span class="badge" title=${why}>${text}</span>`
}

/** Of several accounts: how many are not asked at their clouds, and why; empty where all are. */
export function driversText(accounts: readonly { driver: DriverName }[]): string {
  const said = (['simulated', 'none'] as const).flatMap((name) => {
    const of = accounts.filter(({ driver }) => driver === name).length
    return of === 0 ? [] : [`${of === accounts.length ? 'all' : of} ${words[name].text}`]
  })
  return said.join(', ')
}
