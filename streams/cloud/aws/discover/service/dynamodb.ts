import { table } from '#streams/cloud/aws/map/dynamodb.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { scaledIn } from './application-auto-scaling.ts'

export const tableFinder: Finder = {
  types: ['aws-dynamodb-table'],
  service: 'dynamodb',
  scope: 'region',
  async *find(place) {
    const lists = place.pages(
      'dynamodb',
      (m, ExclusiveStartTableName) =>
        new m.ListTablesCommand({ Limit: 100, ...(ExclusiveStartTableName && { ExclusiveStartTableName }) }),
      ({ LastEvaluatedTableName }) => LastEvaluatedTableName,
    )
    let scaled: ReturnType<typeof scaledIn> | undefined
    for await (const { TableNames } of lists) {
      if (listOf(TableNames).length > 0) scaled ??= scaledIn(place, 'dynamodb')
      const names = await scaled
      const found = await mapConcurrently(listOf(TableNames), callsAtOnce, (name) =>
        describeTable(place, name, names?.has(`table/${name}`)),
      )
      yield found.flat()
    }
  },
}

async function describeTable(place: RegionScan, TableName: string, isScaled: boolean | undefined) {
  const answer = await present(place.ask('dynamodb', (m) => new m.DescribeTableCommand({ TableName })))
  const { TableArn: ResourceArn } = answer?.Table ?? {}
  if (!answer?.Table || !ResourceArn) return []
  const tags = await place.more('tags', () =>
    present(place.ask('dynamodb', (m) => new m.ListTagsOfResourceCommand({ ResourceArn }))),
  )
  const backups = await place.more('backups', () =>
    present(place.ask('dynamodb', (m) => new m.DescribeContinuousBackupsCommand({ TableName }))),
  )
  const { PointInTimeRecoveryDescription: recovery } = backups?.ContinuousBackupsDescription ?? {}
  const isRestorable = recovery && recovery.PointInTimeRecoveryStatus === 'ENABLED'
  return table(answer.Table, place, { tags: tags?.Tags, isScaled, isRestorable })
}
