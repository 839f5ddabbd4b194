import { daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { orNull, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const secrets = listType('secrets-manager', {
  type: 'aws-secret',
  permissions: ['secretsmanager:ListSecrets'],
  list: (m, NextToken) => new m.ListSecretsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ SecretList }) => SecretList,
  uid: ({ ARN }) => ARN,
  fields: ({ Name, Tags }) => ({ name: Name, tags: Tags }),
  specs: {
    created_at: ({ CreatedDate }) => timeOf(CreatedDate),
    // Nothing has read it yet.
    days_since_access: ({ LastAccessedDate }) => orNull(daysSince(LastAccessedDate)),
    rotation_enabled: ({ RotationEnabled }) => RotationEnabled ?? false,
    owning_service: ({ OwningService }) => OwningService || null,
  },
})
