/**
 * Generates a CloudFormation StackSet that creates the role in every member account of an organization, including
 * future ones.
 */
import type { PolicyDocument } from './policy.ts'
import type { trustPolicy } from './trust.ts'

export const stackSetTemplate = (
  roleName: string,
  trust: ReturnType<typeof trustPolicy>,
  policy: PolicyDocument,
): Record<string, unknown> => ({
  AWSTemplateFormatVersion: '2010-09-09',
  Description: 'The role that Tidemark assumes in every account of the organization',
  Resources: {
    TidemarkRole: {
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: roleName,
        AssumeRolePolicyDocument: trust,
        Policies: [{ PolicyName: roleName, PolicyDocument: policy }],
      },
    },
  },
})

/** Additional permissions of the management account's role, for listing the organization. */
export const organizationPolicy: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'TidemarkOrganizationRead',
      Effect: 'Allow',
      Action: [
        'organizations:DescribeOrganization',
        'organizations:ListAccountsForParent',
        'organizations:ListOrganizationalUnitsForParent',
        'organizations:ListRoots',
        'organizations:ListTagsForResource',
      ],
      Resource: '*',
    },
  ],
}

/**
 * Commands for the management account, with the template saved as `tidemark-role.json`. StackSets must have trusted
 * access to the organization.
 */
export const stackSetCommands: readonly string[] = [
  'aws cloudformation create-stack-set --stack-set-name tidemark --template-body file://tidemark-role.json --permission-model SERVICE_MANAGED --auto-deployment Enabled=true,RetainStacksOnAccountRemoval=false --capabilities CAPABILITY_NAMED_IAM --region us-east-1',
  `aws cloudformation create-stack-instances --stack-set-name tidemark --deployment-targets OrganizationalUnitIds="$(aws organizations list-roots --query 'Roots[0].Id' --output text)" --regions us-east-1 --region us-east-1`,
]
