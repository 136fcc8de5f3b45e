z
int