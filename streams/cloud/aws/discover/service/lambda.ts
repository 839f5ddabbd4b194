import { lambdaFunction } from '#streams/cloud/aws/map/lambda.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder } from '#streams/cloud/aws/discover/finder.ts'

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
    for await (const { Functions } of answers) {
      const functions = listOf(Functions)
      const tags = await mapConcurrently(functions, callsAtOnce, ({ FunctionArn: Resource }) =>
        place.more('tags', () => present(place.ask('lambda', (m) => new m.ListTagsCommand({ Resource })))),
      )
      yield functions.flatMap((one, i) => lambdaFunction(one, place, tags[i]?.Tags))
    }
  },
}
