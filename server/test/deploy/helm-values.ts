export function helmValues(): string[] {
  const values = {
    publicUrl: 'https://images.example.com',
    storage: 's3://images',
    existingSecret: 'darkroom',
    'worker.autoscaling.enabled': true,
    'podMonitor.enabled': true,
    'ingress.enabled': true,
    'ingress.host': 'images.example.com',
  };
  return Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}

/** The Kubernetes version for which the chart is rendered and checked. */
export const kubernetesVersion = '1.31.0';
