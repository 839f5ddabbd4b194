import type { EndpointSummary } from '@aws-sdk/client-sagemaker'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { scaledIn } from '#streams/cloud/aws/discover/service/application-auto-scaling.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const sageMakerEndpoints = listType('sagemaker', {
  type: 'aws-sagemaker-endpoint',
  permissions: [
    'sagemaker:ListEndpoints',
    'sagemaker:DescribeEndpoint',
    'sagemaker:DescribeEndpointConfig',
    'sagemaker:ListTags',
    'application-autoscaling:DescribeScalableTargets',
  ],
  list: (m, NextToken) => new m.ListEndpointsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: async ({ Endpoints }, place) => {
    const endpoints = listOf(Endpoints).filter(({ EndpointStatus }) => EndpointStatus !== 'Deleting')
    const scaled = endpoints.length > 0 ? await scaledEndpoints(place) : undefined
    return endpoints.map((one) => ({ ...one, isScaled: scaled?.has(one.EndpointName ?? '') }))
  },
  detail: describeEndpoint,
  uid: ({ EndpointArn }) => EndpointArn,
  fields: ({ EndpointName, EndpointStatus }, _, detail) => ({
    name: EndpointName,
    state: EndpointStatus,
    instanceType: detail?.instanceType,
    unitCount: detail?.instances,
    tags: detail?.tags,
  }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    variants: (_, detail) => detail?.variants?.flatMap(({ VariantName }) => VariantName ?? []),
    instance_count: (_, detail) => detail?.instances,
    // A variant may also let SageMaker scale it by itself.
    autoscaling: ({ isScaled }, detail) =>
      detail?.variants?.some(({ ManagedInstanceScaling }) => ManagedInstanceScaling?.Status === 'ENABLED') || isScaled,
    serverless: (_, detail) =>
      detail?.variants?.some(({ CurrentServerlessConfig }) => CurrentServerlessConfig !== undefined),
  },
})

/** Names of the endpoints of which a variant is scaled: `endpoint/<name>/variant/<variant>`. */
async function scaledEndpoints(place: RegionScan): Promise<ReadonlySet<string> | undefined> {
  const found = await scaledIn(place, 'sagemaker')
  return found && new Set([...found].flatMap((id) => (id.startsWith('endpoint/') ? (id.split('/')[1] ?? []) : [])))
}

/** Without instances while it is created. */
async function describeEndpoint({ EndpointName, EndpointArn: ResourceArn }: EndpointSummary, place: RegionScan) {
  const [endpoint, tags] = await Promise.all([
    also(place, 'endpoint', () => place.ask('sagemaker', (m) => new m.DescribeEndpointCommand({ EndpointName }))),
    also(place, 'tags', () => place.ask('sagemaker', (m) => new m.ListTagsCommand({ ResourceArn }))),
  ])
  const { EndpointConfigName, ProductionVariants: variants } = endpoint ?? {}
  const config =
    EndpointConfigName &&
    (await also(place, 'config', () =>
      place.ask('sagemaker', (m) => new m.DescribeEndpointConfigCommand({ EndpointConfigName })),
    ))
  return {
    variants,
    instances: variants?.reduce((sum, { CurrentInstanceCount = 0 }) => sum + CurrentInstanceCount, 0),
    instanceType: config ? config.ProductionVariants?.[0]?.InstanceType : undefined,
    tags: tags?.Tags,
  }
}
