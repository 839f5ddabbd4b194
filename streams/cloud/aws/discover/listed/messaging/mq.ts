import { also, listed } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const mqBrokers = listed('mq', {
  type: 'aws-mq-broker',
  permissions: ['mq:ListBrokers', 'mq:DescribeBroker'],
  list: (m, NextToken) => new m.ListBrokersCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ BrokerSummaries }) => BrokerSummaries,
  detail: ({ BrokerId }, place) =>
    also(place, 'broker', () => place.ask('mq', (m) => new m.DescribeBrokerCommand({ BrokerId }))),
  uid: ({ BrokerArn }) => BrokerArn,
  fields: ({ BrokerName, BrokerState, HostInstanceType }, _, detail) => ({
    name: BrokerName,
    state: BrokerState,
    instanceType: HostInstanceType,
    tags: detail?.Tags,
  }),
  specs: {
    created_at: ({ Created }) => timeOf(Created),
    // Some regions spell it `ActiveMQ`.
    engine: ({ EngineType }) => EngineType?.toUpperCase(),
    deployment_mode: ({ DeploymentMode }) => DeploymentMode,
    engine_version: (_, detail) => detail?.EngineVersion,
  },
})
