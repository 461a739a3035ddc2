/** Names under which clouds offer the metadata of a machine. They stay closed whatever the name resolves to. */
const names: readonly string[] = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.oraclecloud.com',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.ec2.internal',
  'instance-data',
  'instance-data.ec2.internal',
  'api.metadata.cloud.ibm.com',
];

/** Whether a host name, without its final dot, is one of a metadata service or of a part of one. */
export function isMetadataHost(name: string): boolean {
  return names.some((known) => name === known || (known.includes('.') && name.endsWith(`.${known}`)));
}
