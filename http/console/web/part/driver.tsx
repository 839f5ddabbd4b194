/** What is asked for an account, where that is not its cloud. */

export type DriverName = 'real' | 'simulated' | 'none'

const words = {
  simulated: {
    text: 'simulated',
    why: 'This account uses the simulated cloud of this installation, not the provider’s API.',
  },
  none: {
    text: 'fed by producers',
    why: 'No cloud API is called. Data comes from producers and uploaded bills.',
  },
} as const

/** Nothing where its cloud is asked, or where it is not known yet. */
export function Driver({ driver }: { driver: DriverName | undefined }) {
  if (driver === undefined || driver === 'real') return null
  const { text, why } = words[driver]
  return (
    <span class="badge" title={why}>
      {text}
    </span>
  )
}

/** Of several accounts: how many are not asked at their clouds, and why; empty where all are. */
export function driversText(accounts: readonly { driver: DriverName }[]): string {
  const said = (['simulated', 'none'] as const).flatMap((name) => {
    const of = accounts.filter(({ driver }) => driver === name).length
    return of === 0 ? [] : [`${of === accounts.length ? 'all' : of} ${words[name].text}`]
  })
  return said.join(', ')
}
