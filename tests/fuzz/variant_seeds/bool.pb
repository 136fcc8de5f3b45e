
bool