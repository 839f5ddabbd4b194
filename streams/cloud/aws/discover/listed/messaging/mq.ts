import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const mqBrokers = listType('mq', {
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
    // CloudWatch has the instances of a broker of ActiveMQ, of which a standby may be the one that works, and RabbitMQ's as one.
    broker_nodes: ({ BrokerName, EngineType, DeploymentMode }) => {
      if (EngineType?.toUpperCase() === 'RABBITMQ') return BrokerName && [BrokerName]
      return DeploymentMode === 'ACTIVE_STANDBY_MULTI_AZ' ? [`${BrokerName}-1`, `${BrokerName}-2`] : [`${BrokerName}-1`]
    },
    created_at: ({ Created }) => timeOf(Created),
    // Some regions spell it `ActiveMQ`.
    engine: ({ EngineType }) => EngineType?.toUpperCase(),
    deployment_mode: ({ DeploymentMode }) => DeploymentMode,
    engine_version: (_, detail) => detail?.EngineVersion,
  },
})
