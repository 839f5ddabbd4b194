import type { TransitGatewayAttachment } from '@aws-sdk/client-ec2'
import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, nameIn, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const transitGatewayAttachments = listType('ec2', {
  type: 'aws-tgw-attachment',
  permissions: ['ec2:DescribeTransitGatewayAttachments'],
  list: (m, NextToken) =>
    new m.DescribeTransitGatewayAttachmentsCommand({ MaxResults: 1000, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ TransitGatewayAttachments }, { account }) =>
    listOf(TransitGatewayAttachments).filter((one) => isBilledTo(account, one)),
  // A deleted attachment is listed for a while.
  isOwn: ({ State }) => State !== 'deleted',
  uid: ({ TransitGatewayAttachmentId }) => TransitGatewayAttachmentId,
  fields: ({ Tags }) => ({ name: nameIn(Tags), tags: Tags }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    attachment_type: ({ ResourceType }) => ResourceType,
    state: ({ State }) => State,
    transit_gateway_id: ({ TransitGatewayId }) => TransitGatewayId,
    resource_id: ({ ResourceId }) => ResourceId,
  },
})

/** The owner of the VPC pays, not the owner of the gateway, who sees it too. Of a peering each gateway's owner pays for one attachment. */
const isBilledTo = (
  account: string,
  { ResourceType, ResourceOwnerId, TransitGatewayOwnerId }: TransitGatewayAttachment,
): boolean => (ResourceType === 'peering' ? TransitGatewayOwnerId : ResourceOwnerId) === account
