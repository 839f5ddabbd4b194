/**
 * Discovery of an account of AWS: 10,000 resources of four regions at a far side in this process that takes 50 ms a page, beside the
 * paginators of the SDK that read the same lists as many at once, and map nothing. Prints the ratio of the times and the calls of each.
 * Usage: npm run -s bench -- discover [--resources 10000] [--pause 50] [--page 100] [--runs 5]
 */
import { parseArgs } from 'node:util'
import { systemClock } from '#engine/clock.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { bareLists } from './harness/bare-paginators.ts'
import { fakeAws } from './harness/fake-aws.ts'
import { figure, goal, quantile, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: '10000' },
    pause: { type: 'string', default: '50' },
    page: { type: 'string', default: '100' },
    runs: { type: 'string', default: '5' },
  },
})
const [resources, pause, page, runs] = [values.resources, values.pause, values.page, values.runs].map(Number) as [
  number,
  number,
  number,
  number,
]

const regions = ['eu-west-1', 'us-east-1', 'us-east-2', 'us-west-2']
const share = (part: number) => Math.round((resources / regions.length) * part)
const far = await fakeAws(
  { DescribeInstances: share(0.6), DescribeVolumes: share(0.32), DescribeSnapshots: share(0.08) },
  page,
)
const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'fake',
  regions,
  credentials: null,
}

/** Paced as in the product. */
async function discovered(): Promise<number> {
  const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random })
  const credentials = async () => ({ accessKeyId: 'AKID', secretAccessKey: 'secret' })
  const open = (of: CloudAccount, signal?: AbortSignal) =>
    new AwsSession(of, { caller, endpoint: far.url }, { credentials }, signal)
  const discovery = discoverAws({ open })(account)
  let count = 0
  for await (const some of discovery.pages) count += some.length
  if (discovery.message !== undefined) throw new Error(discovery.message)
  return count
}

const bare = () => bareLists(far.url, regions, { regions: 4, services: 2 })

/** Milliseconds and calls. */
async function timed(run: () => Promise<number>): Promise<{ ms: number; calls: number }> {
  far.answered = 0
  const began = performance.now()
  const count = await run()
  const ms = performance.now() - began
  if (count !== resources) throw new Error(`found ${count} of ${resources} resources`)
  return { ms, calls: far.answered }
}

await timed(discovered)
await timed(bare)
far.pauseMs = pause
const [ours, theirs] = [[], []] as { ms: number; calls: number }[][]
for (let run = 0; run < runs; run++) {
  ours!.push(await timed(discovered))
  theirs!.push(await timed(bare))
}
const median = (of: readonly { ms: number }[]) =>
  quantile(
    of.map(({ ms }) => ms),
    0.5,
  )
const [our, their] = [median(ours!), median(theirs!)]
say(
  `${figure(resources)} resources of ${regions.length} regions, ${pause} ms a page of ${page}: median of ${runs} runs`,
)
say(
  `discovery ${figure(our)} ms, ${figure(ours![0]!.calls)} calls; bare paginators ${figure(their)} ms, ${figure(theirs![0]!.calls)} calls`,
)
goal('discover', 'of the rate of bare paginators', their / our, { min: 0.7 })
goal('discover', 'calls beside the least possible', ours![0]!.calls / theirs![0]!.calls, { max: 1 })
await far.close()
process.exit(0)
