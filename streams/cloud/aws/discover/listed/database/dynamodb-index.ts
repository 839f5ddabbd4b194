import { callsAtOnce, present } from '#streams/cloud/aws/discover/finder.ts'
import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

const gb = 1e9

/** AWS says nothing of when an index was added, and lets none have tags. */
export const dynamoDbIndexes = listType('dynamodb', {
  type: 'aws-dynamodb-index',
  permissions: ['dynamodb:ListTables', 'dynamodb:DescribeTable'],
  list: (m, ExclusiveStartTableName) =>
    new m.ListTablesCommand({ Limit: 100, ...(ExclusiveStartTableName && { ExclusiveStartTableName }) }),
  next: ({ LastEvaluatedTableName }) => LastEvaluatedTableName,
  items: async ({ TableNames }, place) => {
    const answers = await mapConcurrently(listOf(TableNames), callsAtOnce, (TableName) =>
      present(place.ask('dynamodb', (m) => new m.DescribeTableCommand({ TableName }))),
    )
    return answers.flatMap((answer) => {
      const { TableArn, GlobalSecondaryIndexes } = answer?.Table ?? {}
      return listOf(GlobalSecondaryIndexes).map((index) => ({ ...index, TableArn }))
    })
  },
  uid: ({ IndexArn, IndexName, TableArn }) => IndexArn ?? (TableArn && IndexName && `${TableArn}/index/${IndexName}`),
  fields: ({ IndexName, IndexStatus, IndexSizeBytes, TableArn }) => ({
    name: IndexName,
    state: IndexStatus,
    parentUID: TableArn,
    sizeGB: IndexSizeBytes === undefined ? undefined : IndexSizeBytes / gb,
  }),
  specs: {
    read_capacity: ({ ProvisionedThroughput }) => ProvisionedThroughput?.ReadCapacityUnits,
    write_capacity: ({ ProvisionedThroughput }) => ProvisionedThroughput?.WriteCapacityUnits,
  },
})
