/**
 * The trust policy of an account's role: it lets only this installation assume the role, and only for one organization.
 */

/** Placeholder if this process does not know its own identity. */
export const unknownPrincipal = 'arn:aws:iam::ACCOUNT-OF-TIDEMARK:root'

/** In IAM's format. */
export const trustPolicy = (externalID: string, principal: string = unknownPrincipal) => ({
  Version: '2012-10-17' as const,
  Statement: [
    {
      Effect: 'Allow' as const,
      Principal: { AWS: principal },
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'sts:ExternalId': externalID } },
    },
  ],
})
