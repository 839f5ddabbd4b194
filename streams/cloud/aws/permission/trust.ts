/** The trust policy of the role that an account gives us: us alone, and for one organization alone. */

/** Stands for who we are where the process does not know. */
export const unknownPrincipal = 'arn:aws:iam::ACCOUNT-OF-TIDEMARK:root'

/** As IAM takes it. */
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
