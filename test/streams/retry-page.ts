/** docs/retries.md, from the policies. */
import { engineRetries, type Pauses, type RetryPolicy } from '#engine/actor/retry.ts'
import { retries } from '#streams/retry.ts'

const head = `# Retries

What the service tries again by itself, how often, and what happens after the last attempt. This page is generated from the policies in [\`engine/actor/retry.ts\`](../engine/actor/retry.ts) and [\`streams/retry.ts\`](../streams/retry.ts), which all code uses.

- Only temporary errors (\`transient\`) and unexpected ones are retried, unless a row says otherwise. All others are final: the same request would fail again.
- All attempts carry the same id, by which a receiver recognizes a repeat.
- A call to the outside that is retried survives the end of its process: another process makes the next attempt.
- If a receiver or a cloud asks to wait (\`Retry-After\`), a notification or a call to the outside waits as long as it asks, 15 minutes at most. A request to a cloud waits that long, one minute at most, in addition to its pause.
- Waiting for a slow state is not a retry and is not listed: checking whether a cloud has finished an action, and the stores at the start ([configure](configure.md)). The console and the [API client](client.md) repeat their own requests.
`

const one = (ms: number): string => {
  if (ms < 1000) return `${ms} ms`
  if (ms < 60_000) return `${ms / 1000} s`
  return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
}

function pauses(of: Pauses, tries: number): string {
  if ('first' in of) return `${one(of.first)}, doubled each time, at most ${one(of.doubledTo)}`
  if (of.every((ms) => ms === 0)) return 'none'
  const isRepeated = tries - 1 > of.length
  return of
    .map((ms, n) => (isRepeated && n === of.length - 1 ? `${n > 0 ? 'then ' : ''}${one(ms)} each time` : one(ms)))
    .join(', ')
}

function row({ name, tries, pausesMs, isRandom, end }: RetryPolicy): string {
  const attempts = tries === Infinity ? 'no limit' : tries
  const between = `${pauses(pausesMs, tries)}${isRandom ? '; each is drawn between 0 and that' : ''}`
  return `| ${name} | ${attempts} | ${between} | ${end} |`
}

const table = (policies: Readonly<Record<string, RetryPolicy>>): string =>
  [
    '| what is retried | attempts | pauses | after the last attempt |',
    '|---|---|---|---|',
    ...Object.values(policies).map(row),
  ].join('\n')

export const retryPage = (): string =>
  `${head}\n## The product\n\n${table(retries)}\n\n## The engine\n\n${table(engineRetries)}\n`
