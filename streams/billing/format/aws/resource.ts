/**
 * The resource of a bill line by its uid in the inventory. AWS bills name some types by ARN, which its APIs name by id,
 * and buckets by name, where the inventory has ARNs. A resource that is named otherwise than in the inventory would
 * have costs without tags, and an owner without costs.
 */

/** ARNs of types that are in the inventory by the last part of the ARN. `reserved-instances` are commitments: by ARN. */
const byId =
  /^arn:aws[\w-]*:(?:ec2:[^:]*:\d*:(?!reserved-instances\/)[a-z-]+|cloudfront::\d*:distribution|route53:::(?:hostedzone|healthcheck)|workspaces:[^:]*:\d*:workspace|directconnect:[^:]*:\d*:dxcon)\/([^/:]+)$/
/** A log group's ARN may end like that of its streams. */
const ofLogGroup = /^(arn:aws[\w-]*:logs:[^:]*:\d*:log-group:.+):\*$/
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** As CUR and FOCUS have it. */
const bucketServices: ReadonlySet<string> = new Set(['AmazonS3', 'Amazon Simple Storage Service'])

/** `service` and `region` are those of the line; `id` is returned as it is where bill and inventory agree. */
export function awsUid(id: string, service: string | undefined, region: string | undefined): string {
  if (id.startsWith('arn:')) return byId.exec(id)?.[1] ?? ofLogGroup.exec(id)?.[1] ?? id
  const isBucket = service !== undefined && bucketServices.has(service) && bucketName.test(id)
  return isBucket ? `arn:${partitionOf(region ?? '')}:s3:::${id}` : id
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}
