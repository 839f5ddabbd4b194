import { also, listType } from '#streams/cloud/aws/discover/listed.ts'

export const transferServers = listType('transfer', {
  type: 'aws-transfer-server',
  permissions: ['transfer:ListServers', 'transfer:DescribeServer'],
  list: (m, NextToken) => new m.ListServersCommand({ MaxResults: 1000, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Servers }) => Servers,
  detail: async ({ ServerId }, place) => {
    const answer = await also(place, 'server', () =>
      place.ask('transfer', (m) => new m.DescribeServerCommand({ ServerId })),
    )
    return answer?.Server
  },
  uid: ({ Arn }) => Arn,
  fields: ({ ServerId, State }, _, detail) => ({ name: ServerId, state: State, tags: detail?.Tags }),
  specs: {
    state: ({ State }) => State,
    protocols: (_, detail) => detail?.Protocols,
  },
})
