import type { FunctionConfiguration } from '@aws-sdk/client-lambda'
import { lambdaFunction, type FunctionMore } from '#streams/cloud/aws/map/lambda.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { isPublicPolicy } from '#streams/cloud/aws/resource/policy-text.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { scaledIn } from './application-auto-scaling.ts'

export const functionFinder: Finder = {
  types: ['aws-lambda'],
  service: 'lambda',
  scope: 'region',
  async *find(place) {
    const answers = place.pages(
      'lambda',
      (m, Marker) => new m.ListFunctionsCommand({ MaxItems: 50, ...(Marker && { Marker }) }),
      ({ NextMarker }) => NextMarker,
    )
    let scaled: ReturnType<typeof scaledIn> | undefined
    for await (const { Functions } of answers) {
      const functions = listOf(Functions)
      if (functions.length > 0) scaled ??= scaledIn(place, 'lambda')
      const names = await scaled
      const details = await mapConcurrently(functions, callsAtOnce, (one) => moreOf(place, one, names))
      yield functions.flatMap((one, at) => lambdaFunction(one, place, details[at]!))
    }
  },
}

/** `scaled`: aliases whose provisioned concurrency scales by itself, `function:<name>:<alias>`. */
async function moreOf(
  place: RegionScan,
  { FunctionArn: Resource, FunctionName }: FunctionConfiguration,
  scaled: ReadonlySet<string> | undefined,
): Promise<FunctionMore> {
  const [tags, provisioned, isPublic, urls] = await Promise.all([
    place.more('tags', () => present(place.ask('lambda', (m) => new m.ListTagsCommand({ Resource })))),
    place.more('provisioned', () =>
      present(place.ask('lambda', (m) => new m.ListProvisionedConcurrencyConfigsCommand({ FunctionName }))),
    ),
    // A function without a policy has none to be read.
    place.more('policy', async () => {
      const answer = await present(place.ask('lambda', (m) => new m.GetPolicyCommand({ FunctionName })))
      return answer?.Policy === undefined ? false : isPublicPolicy(answer.Policy)
    }),
    place.more('urls', () =>
      present(place.ask('lambda', (m) => new m.ListFunctionUrlConfigsCommand({ FunctionName }))),
    ),
  ])
  const modes = urls && listOf(urls.FunctionUrlConfigs).flatMap(({ AuthType }) => AuthType ?? [])
  return {
    tags: tags?.Tags,
    provisioned:
      provisioned &&
      listOf(provisioned.ProvisionedConcurrencyConfigs).reduce(
        (sum, { RequestedProvisionedConcurrentExecutions: one = 0 }) => sum + one,
        0,
      ),
    isScaled: scaled && [...scaled].some((id) => id.startsWith(`function:${FunctionName}:`)),
    isPublic,
    // The most open of several.
    urlAuth: modes && (modes.find((mode) => mode === 'NONE') ?? modes[0] ?? null),
  }
}
